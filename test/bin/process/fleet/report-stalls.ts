// Each instance preloads this module. It writes each line with a single call, so its lines do not mix with the
// gateway's.
import { writeSync } from 'node:fs'
import { stallMessage, watchStalls } from './watch-stalls.ts'

watchStalls((stall) => {
  const time = new Date(stall.to).toISOString()
  writeSync(1, `${JSON.stringify({ level: 'warn', time, ...stall, msg: stallMessage })}\n`)
})
