import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import * as z from 'zod'

const LogLine = z.object({
  /** An instance buffers its log for up to 250 ms. */
  time: z.iso.datetime().transform((text) => Date.parse(text)),
  msg: z.string(),
  requestId: z.string().optional(),
  route: z.string().optional(),
  runtime: z.string().optional(),
  reason: z.string().optional(),
  epoch: z.number().optional(),
  fallbackReason: z.string().optional(),
  status: z.number().optional(),
  durationMs: z.number().default(0),
  cause: z.string().optional(),
  observer: z.string().optional(),
  adminUrl: z.string().optional(),
  from: z.number().default(0),
  to: z.number().default(0),
})
export type LogLine = z.infer<typeof LogLine>

const readFrom = (file: string, offset: number) => {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size - offset)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(descriptor)
  }
}

/** Follows one instance's log file. An instance buffers its log for up to 250 ms. */
export const followLog = (file: string) => {
  const lines: LogLine[] = []
  let offset = 0
  return {
    read(): readonly LogLine[] {
      const bytes = readFrom(file, offset)
      const end = bytes.lastIndexOf('\n') + 1
      offset += end
      const texts = bytes.toString('utf8', 0, end).split('\n')
      for (const text of texts) if (text !== '') lines.push(LogLine.parse(JSON.parse(text)))
      return lines
    },
  }
}
