import { runOutsideTraces } from '#shared/tracing/trace.ts'

type Work = () => void

// Whatever the number of connections, so that other requests wait for no more than this. It is small because Node accepts one
// new connection in a turn (verified on Node 26.10.0).
const maxPerTurn = 4

const due: Work[] = []
const added: Work[] = []
let isScheduled = false

const runDue = () => {
  for (const work of due.splice(0, maxPerTurn)) work()
  for (const work of added.splice(0)) due.push(work)
  if (due.length > 0) setImmediate(runDue)
  else isScheduled = false
}

/**
 * Runs `work` in a later turn of the event loop than this one: sockets are read in between. Work that is added first runs
 * first, and at most four pieces run in a turn. `work` must not throw.
 */
export const runInLaterTurn = (work: Work) => {
  added.push(work)
  if (isScheduled) return
  isScheduled = true
  runOutsideTraces(() => setImmediate(runDue))
}
