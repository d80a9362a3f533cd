import java.io.File;
import java.nio.ByteBuffer;
import java.util.ArrayList;

/** A gateway with 45 MB on its heap: warms up for 6 s, then serves 20 requests a second; from when /tmp/go exists it keeps a buffer of 512 KB outside
 * of the heap for each. Prints in each second how many. */
class OffHeap {
    public static void main(String[] args) throws InterruptedException {
        var heap = new ArrayList<byte[]>();
        for (int n = 0; n < 45 * 64; n++) heap.add(new byte[16000]);
        Thread.sleep(6000);
        var kept = new ArrayList<ByteBuffer>();
        for (long next = System.currentTimeMillis() + 1000, done = 0; ; done++) {
            if (new File("/tmp/go").exists()) kept.add(ByteBuffer.allocateDirect(512 << 10));
            heap.set((int) (done * 31 % heap.size()), new byte[16000]);
            Thread.sleep(50);
            if (System.currentTimeMillis() >= next) {
                System.out.println(System.currentTimeMillis() / 1000 + " " + done);
                next += 1000;
                done = 0;
            }
        }
    }
}
