declare module 'cloudflare:workers' {
  /** Keeps the request that is being handled alive until the work is done; the answer does not wait for it. */
  export const waitUntil: (work: Promise<unknown>) => void
}
