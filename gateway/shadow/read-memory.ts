import { readFile } from 'node:fs/promises'

/** The resident memory of a process in bytes; null if it has ended, or where the platform does not report it. */
export const readMemoryBytes = async (pid: number): Promise<number | null> => {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1')
    const [, kiB] = /^VmRSS:\s+(\d+)/m.exec(status) ?? []
    return kiB === undefined ? null : Number(kiB) * 1024
  } catch {
    return null
  }
}

/** Calls `onExceeded` at each sample above the limit. Returns the function that stops it. */
export const monitorMemory = (
  pid: number,
  limits: { readonly memoryBytes: number; readonly memoryIntervalMs: number },
  readMemory: typeof readMemoryBytes,
  onExceeded: () => void,
): (() => void) => {
  const interval = setInterval(async () => {
    const bytes = await readMemory(pid)
    if (bytes !== null && bytes > limits.memoryBytes) onExceeded()
  }, limits.memoryIntervalMs).unref()
  return () => clearInterval(interval)
}
