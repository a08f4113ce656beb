declare module 'cloudflare:workers' {
  /** Keeps the current request alive until `work` completes, without delaying its response. */
  export const waitUntil: (work: Promise<unknown>) => void
  export const env: Readonly<Record<string, unknown>>
}
