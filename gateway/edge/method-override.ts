/**
 * Whether a header that overrides the method has no effect: each name in the list is that of the request's own method. A
 * core that honours another one would do something else than what was routed, and without the header a DELETE would
 * become a POST. Cores read the names in any case.
 */
export const namesOnlyMethod = (list: string, method: string): boolean =>
  list.split(',').every((item) => {
    const name = item.trim().toUpperCase()
    return name === '' || name === method
  })
