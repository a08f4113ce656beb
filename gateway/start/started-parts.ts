interface Part {
  stop(): Promise<void>
}

/** What has been started so far, to be stopped the other way round. */
export const createParts = () => {
  const running: Part[] = []
  return {
    keep: async <T extends Part>(starting: Promise<T>) => {
      const part = await starting
      running.push(part)
      return part
    },
    /** Waits for all, also for what starts beside one that fails: it has to be stopped as well. */
    together: async <T extends readonly unknown[]>(starting: { [K in keyof T]: Promise<T[K]> }) => {
      await Promise.allSettled(starting)
      return Promise.all(starting)
    },
    stop: async () => {
      for (const part of running.splice(0).reverse()) await part.stop()
    },
  }
}
