import { reconcileNightly } from './billing/reconcile.ts'
import { reportSales } from './billing/report-sales.ts'
import type { JobPorts } from './ports.ts'
import { createHourlyEventRetention, createHourlyThreadRetention } from './retention.ts'
import { sweep } from './sweep.ts'

export const startSweeps = (
  ports: JobPorts,
  isSupervisor: () => boolean,
  onError: (error: unknown) => void,
  intervalMs = 30_000,
) => {
  const stopping = new AbortController()
  const { signal } = stopping
  let sweeps: Promise<void> = Promise.resolve()
  let billing: Promise<void> = Promise.resolve()
  let retention: Promise<void> = Promise.resolve()
  const deleteExpiredEvents = createHourlyEventRetention()
  const deleteEndedThreads = createHourlyThreadRetention()
  const timer = setInterval(() => {
    if (!isSupervisor()) return
    sweeps = sweeps.then(() => sweep(ports)).catch(onError)
    billing = billing
      .then(() => reportSales(ports, signal))
      .then(() => reconcileNightly(ports, signal))
      .catch(onError)
    retention = retention
      .then(() => deleteExpiredEvents(ports, signal))
      .catch(onError)
      .then(() => deleteEndedThreads(ports, signal))
      .catch(onError)
  }, intervalMs)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.all([sweeps, billing, retention])
    },
  }
}
