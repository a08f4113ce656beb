/**
 * Percent-encodes what no header value may contain. A server would reject the head of the response, and the client would
 * get an error for a write that took place.
 */
export const encodeLocation = (location: string) =>
  location.replace(/[^\t -~\u0080-\u00ff]+/gu, (part) => encodeURIComponent(part.toWellFormed()))
