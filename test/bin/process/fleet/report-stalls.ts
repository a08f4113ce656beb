// Each instance preloads this module. It writes each line with one call, so that the line does not mix with the
// gateway's.
import { writeSync } from 'node:fs'
import { stallMessage, watchStalls } from './watch-stalls.ts'

watchStalls((stall) => {
  const time = new Date(stall.to).toISOString()
  writeSync(1, `${JSON.stringify({ level: 'warn', time, ...stall, msg: stallMessage })}\n`)
})
