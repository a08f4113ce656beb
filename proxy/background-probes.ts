/** Whether the core responds to a request of the gateway itself; false if the signal is aborted first. */
export type ProbeCore = (signal: AbortSignal) => Promise<boolean>

interface ProbesOptions {
  readonly probe: ProbeCore
  readonly intervalMs: number
  /** The core has responded to a probe. May be called again until the probes are stopped. */
  readonly onAlive: () => void
}

const maxRunning = 5

/**
 * Probes the core at each interval, whether or not earlier probes have ended: one that was sent while the core hung
 * may never get a response. Returns what ends that.
 */
export const startBackgroundProbes = ({ probe, intervalMs, onAlive }: ProbesOptions) => {
  const running: AbortController[] = []
  let isStopped = false

  const run = async () => {
    // The oldest one keeps waiting: a core that responds late to every request would otherwise never count as alive.
    if (running.length >= maxRunning) running.splice(1, 1)[0]?.abort()
    const controller = new AbortController()
    running.push(controller)
    const isAlive = await probe(controller.signal)
    const index = running.indexOf(controller)
    if (index >= 0) running.splice(index, 1)
    if (isAlive && !isStopped) onAlive()
  }

  const timer = setInterval(run, intervalMs).unref()
  return () => {
    isStopped = true
    clearInterval(timer)
    for (const controller of running.splice(0)) controller.abort()
  }
}
