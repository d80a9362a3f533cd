// The measures that all plots share, in pixels.

/** Width of the values' axis and of the margin on the right: all plots have the same, so that their times stand below each other. */
export const LEFT = 72;
export const RIGHT = 10;
/** Between two marks of time. */
export const SPACE = 110;

/** How much larger than on a usual screen text and plots are: page.css sets it by the size of the root's font. */
export function magnified(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 13;
}
