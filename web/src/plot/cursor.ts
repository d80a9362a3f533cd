// The time under the pointer, shared by all plots of a view. Plots follow it without a render of the view.

export class Cursor {
  private moment: number | null = null;
  private readonly listeners = new Set<(at: number | null) => void>();

  get at(): number | null {
    return this.moment;
  }

  set(at: number | null): void {
    if (at === this.moment) return;
    this.moment = at;
    for (const listener of this.listeners) listener(at);
  }

  /** Calls `listener` at each move. Returns the function that stops it. */
  watch(listener: (at: number | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
