interface Part {
  stop(): Promise<void>
}

/** Records started parts and stops them in reverse order. */
export const createParts = () => {
  const running: Part[] = []
  return {
    keep: async <T extends Part>(starting: Promise<T>) => {
      const part = await starting
      running.push(part)
      return part
    },
    /** Waits for all starts even when one fails, so that `stop` also stops the parts that started after the failure. */
    together: async <T extends readonly unknown[]>(starting: { [K in keyof T]: Promise<T[K]> }) => {
      await Promise.allSettled(starting)
      return Promise.all(starting)
    },
    stop: async () => {
      for (const part of running.splice(0).reverse()) await part.stop()
    },
  }
}
