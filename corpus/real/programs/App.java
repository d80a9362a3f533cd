import java.util.ArrayList;
import java.util.Random;

/** Holds so many MiB of small objects, changes them at random, and prints how often in each second. */
public class App {
    public static void main(String[] args) {
        var random = new Random(7);
        var held = new ArrayList<byte[]>();
        for (int n = 0; n < Integer.parseInt(args[0]) * 1024; n++) held.add(new byte[1000]);
        for (long next = System.currentTimeMillis() + 1000, done = 0; ; done++) {
            for (int n = 0; n < 100; n++) held.set(random.nextInt(held.size()), new byte[1000]);
            try { Thread.sleep(2); } catch (InterruptedException e) { return; }
            if (System.currentTimeMillis() >= next) {
                System.out.println(System.currentTimeMillis() / 1000 + " " + done);
                next += 1000;
                done = 0;
            }
        }
    }
}
