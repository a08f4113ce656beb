/**
 * Percent-encodes what a header value must not contain. Otherwise the server would reject the response head, and the
 * client would see an error for a write that took place.
 */
export const encodeLocation = (location: string) =>
  location.replace(/[^\t -~\u0080-\u00ff]+/gu, (part) => encodeURIComponent(part.toWellFormed()))
