/** Collects what an iterator yields, as `Array.fromAsync` does in newer browsers. */
export const collect = async <T>(iterable: AsyncIterable<T>) => {
  const values: T[] = []
  for await (const value of iterable) values.push(value)
  return values
}
