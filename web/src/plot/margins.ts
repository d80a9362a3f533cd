// The measures that all plots share, in pixels.

/** Width of the values' axis and of the margin on the right: all plots have the same, so that their times stand below each other. */
export const LEFT = 66;
export const RIGHT = 10;
/** Between two marks of time. */
export const SPACE = 110;
