// Converts times to positions on the plots' common axis.

import { LEFT, RIGHT } from "./margins";
import type { Range } from "./range";

export class TimeScale {
  constructor(
    readonly range: Range,
    readonly width: number,
  ) {}

  /** The position of a time, in pixels from the left edge of the plots; beyond the axis for a time outside the range. */
  x(at: number): number {
    return LEFT + ((at - this.range.from) / (this.range.to - this.range.from)) * this.inner;
  }

  /** The same, clamped to the ends of the axis. */
  clamped(at: number): number {
    return Math.min(Math.max(this.x(at), LEFT), this.width - RIGHT);
  }

  at(x: number): number {
    return this.range.from + ((x - LEFT) / this.inner) * (this.range.to - this.range.from);
  }

  shows(at: number): boolean {
    return at >= this.range.from && at <= this.range.to;
  }

  private get inner(): number {
    return Math.max(1, this.width - LEFT - RIGHT);
  }
}
