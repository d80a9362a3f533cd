/** A Java service maps a file of 600 MB and reads it at random with four threads. */
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Random;

public class Rows {
    public static void main(String[] args) throws Exception {
        var file = FileChannel.open(Path.of("/data/lite.db"));
        var rows = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
        for (int n = 0; n < 4; n++) {
            var random = new Random(n);
            new Thread(() -> { for (long sum = 0; ; ) sum += rows.get(random.nextInt(rows.capacity())); }).start();
        }
    }
}
