import java.io.File;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.Random;

/** A search service: 15 requests a second, each reads 10 blocks at random of 110 MB of a file; from when /tmp/go exists it fills a cache on its heap, up to 105 MB. */
class Search {
    public static void main(String[] args) throws Exception {
        var index = new RandomAccessFile("/data/lite.db", "r");
        var piece = new byte[1 << 20];
        for (int at = 0; at < 220; at++) {
            index.seek((long) (at % 110) << 20);
            index.readFully(piece);
        }
        var random = new Random(5);
        var cache = new ArrayList<byte[]>();
        var block = new byte[4096];
        long due = System.nanoTime(), now = System.currentTimeMillis() / 1000, done = 0, took = 0;
        while (true) {
            long began = System.nanoTime();
            if (cache.size() < 1680 && new File("/tmp/go").exists()) for (int n = 0; n < 12; n++) cache.add(new byte[65536]);
            for (int n = 0; n < 10; n++) {
                index.seek(random.nextInt(28160) * 4096L);
                index.readFully(block);
            }
            took += System.nanoTime() - began;
            done++;
            due = Math.max(due + 66666667, System.nanoTime() - 66666667);
            Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1000000));
            if (System.currentTimeMillis() / 1000 == now) continue;
            System.out.println(now + " " + done + " " + Math.round(took / done / 1e5) / 10.0);
            now = System.currentTimeMillis() / 1000;
            done = took = 0;
        }
    }
}
