// Preloaded by each instance. Writes each line with one call, so that it does not mix with the gateway's lines.
import { writeSync } from 'node:fs'
import { stallMessage, watchStalls } from './watch-stalls.ts'

watchStalls((stall) => {
  const time = new Date(stall.to).toISOString()
  writeSync(1, `${JSON.stringify({ level: 'warn', time, ...stall, msg: stallMessage })}\n`)
})
