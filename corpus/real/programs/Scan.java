/** A Java program reads all files of another database on the disk of the service, to index them. */
import java.io.FileInputStream;

public class Scan {
    public static void main(String[] args) throws Exception {
        var buffer = new byte[1 << 18];
        while (true)
            for (var name : args)
                try (var in = new FileInputStream(name)) { while (in.read(buffer) > 0) { } }
    }
}
