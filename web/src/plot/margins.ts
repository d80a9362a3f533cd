// The dimensions of all plots, in pixels.

/** Width of the value axis and of the right margin, half the text of the last mark of time: the same for all plots, so that their time axes align. */
export const LEFT = 72;
export const RIGHT = 30;
/** Between two marks of time. */
export const SPACE = 110;

/** How much larger text and plots are than on a usual screen: page.css sets it by the root's font size. */
export function magnified(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 13;
}
