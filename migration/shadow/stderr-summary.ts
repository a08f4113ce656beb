import type { Readable } from 'node:stream'
import { isStackFrame } from '#shared/describe-error.ts'

const keptBytes = 2048
const readBytes = 64 * 1024
const maxFrames = 8
const maxFrameLength = 200

/** An error as found in stderr, without its message, which may contain customers' values. */
export interface StderrSummary {
  readonly name: string | null
  readonly at: readonly string[]
}

/** Returns the name of the last error in the text, and its first stack frames. */
export const summarizeStderr = (text: string): StderrSummary => {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const names = lines.map((line) => /^\w*Error\b/.exec(line)?.[0] ?? null)
  const last = names.findLastIndex((name) => name !== null)
  const frames = lines.slice(Math.max(0, last)).filter(isStackFrame)
  return {
    name: names[last] ?? null,
    at: frames.slice(0, maxFrames).map((line) => line.trim().slice(0, maxFrameLength)),
  }
}

/**
 * Keeps the last 2 KiB of a child's stderr, and stops reading after about 64 KiB. If the child writes more, the pipe
 * fills up, which costs the child memory or time, but not this process.
 */
export const collectStderr = (stderr: Readable): (() => StderrSummary) => {
  let kept = Buffer.alloc(0)
  let received = 0
  stderr.on('data', (chunk: Buffer) => {
    received += chunk.length
    kept = Buffer.from(Buffer.concat([kept, chunk]).subarray(-keptBytes))
    if (received >= readBytes) stderr.pause()
  })
  stderr.on('error', () => undefined)
  return () => {
    const text = kept.toString()
    // The first line may be cut off.
    return summarizeStderr(received > keptBytes ? text.slice(text.indexOf('\n') + 1) : text)
  }
}
