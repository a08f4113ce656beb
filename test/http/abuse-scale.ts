import { appendFileSync } from 'node:fs'

/** The file for the measurements. The benchmark sets it; the test suite leaves it unset and uses fewer clients. */
const reportFile = process.env.ABUSE_REPORT

const suiteCounts = {
  forwardedStrayBytes: 400,
  nativeStrayBytes: 100,
  disconnecting: 150,
  idle: 2000,
  requesting: 500,
  slowHeads: 300,
}

const benchCounts = {
  forwardedStrayBytes: 4000,
  nativeStrayBytes: 1000,
  disconnecting: 1000,
  idle: 10_000,
  requesting: 2000,
  slowHeads: 2000,
}

export const counts = reportFile === undefined ? suiteCounts : benchCounts

const isFull = process.env.THOROUGH !== undefined || reportFile !== undefined

/** Sizes for the test of shared resources. */
export const capacity = {
  connections: isFull ? 300 : 100,
  roundCount: isFull ? 12 : 3,
  /** The benchmark also measures abuse from more addresses than the shares protect against. */
  hasManyAddresses: reportFile !== undefined,
}

/** Sizes for the test of clients that flood the gateway. */
export const flooding = {
  isTimed: isFull,
  connections: isFull ? 300 : 100,
  // Enough rounds that the connections opened at the start of the flood affect fewer than one in a hundred
  // measurements.
  roundCount: isFull ? 120 : 3,
}

export const timeoutMs = reportFile === undefined ? 30_000 : 60_000

/** Appends a gateway's measurements to the report, if there is one. */
export const reportAbuse = (clients: string, measurements: Readonly<Record<string, unknown>>) => {
  if (reportFile !== undefined)
    appendFileSync(reportFile, `${JSON.stringify({ clients, ...measurements })}\n`)
}
