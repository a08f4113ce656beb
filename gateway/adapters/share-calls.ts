/** Makes one call of those that come for the same key while it is under way. */
export const shareCalls = <R>() => {
  const underWay = new Map<string, Promise<R>>()
  return (key: string, call: () => Promise<R>): Promise<R> => {
    const shared = underWay.get(key) ?? call().finally(() => underWay.delete(key))
    underWay.set(key, shared)
    return shared
  }
}
