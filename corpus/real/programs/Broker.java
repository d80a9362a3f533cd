/** A message broker in Java forces each message to the disk of a journal. */
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

public class Broker {
    public static void main(String[] args) throws Exception {
        for (int n = 0; n < 6; n++) {
            var log = FileChannel.open(Path.of("/data/topic" + n), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            new Thread(() -> {
                try {
                    while (true) { log.write(ByteBuffer.allocate(4000)); log.force(true); }
                } catch (java.io.IOException e) { }
            }).start();
        }
    }
}
