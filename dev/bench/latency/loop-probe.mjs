// Preloaded by the measured programs. Plain JavaScript, because some of those programs are too. Answers the message
// `read` with what has delayed the event loop since the last answer.
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

const resolutionMs = 5
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
delay.enable()

let collections = []
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collections.push(duration)
}).observe({ entryTypes: ['gc'] })

const withoutResolution = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolutionMs)

process.on('message', (message) => {
  if (message !== 'read') return
  process.send({
    delayP999Ms: withoutResolution(delay.percentile(99.9)),
    longestDelayMs: withoutResolution(delay.max),
    longCollections: collections.filter((duration) => duration > 5).length,
    memoryMb: process.memoryUsage.rss() / 1e6,
  })
  delay.reset()
  collections = []
})
// The listener must not keep alive a program that is about to exit.
process.channel?.unref()
