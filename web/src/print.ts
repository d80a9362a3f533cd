// Paper has no summaries to open: while the page is printed, all details are.

/** The mark of details that only printing opened: that is no choice of the reader. */
const MARK = "printed";

/** Opens all details for each print, and closes them after it. Returns the function that stops it. */
export function openForPrint(): () => void {
  const open = () => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")) {
      details.dataset[MARK] = "";
      details.open = true;
    }
  };
  const close = () => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>(`details[data-${MARK}]`)) {
      details.open = false;
      delete details.dataset[MARK];
    }
  };
  addEventListener("beforeprint", open);
  addEventListener("afterprint", close);
  return () => {
    removeEventListener("beforeprint", open);
    removeEventListener("afterprint", close);
  };
}

/** Whether a reader opened details, and not a print. */
export const opened = (details: HTMLDetailsElement) => details.open && details.dataset[MARK] === undefined;
