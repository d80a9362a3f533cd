/** A Java program leaks up to 12 MB each second until it holds 285 MB. */
import java.util.ArrayList;

public class Leak {
    public static void main(String[] args) throws Exception {
        var held = new ArrayList<byte[]>();
        while (held.size() < 2850) { held.add(new byte[100000]); Thread.sleep(8); }
        Thread.sleep(10000000);
    }
}
