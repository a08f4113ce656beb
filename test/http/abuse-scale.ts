import { isThorough } from '#test/support/count-cases.ts'

export const counts = {
  forwardedStrayBytes: 400,
  nativeStrayBytes: 100,
  disconnecting: 150,
  idle: 2000,
  requesting: 500,
  slowHeads: 300,
}

export const capacity = {
  connections: isThorough ? 300 : 100,
  roundCount: isThorough ? 12 : 3,
}

export const flooding = {
  isTimed: isThorough,
  connections: isThorough ? 300 : 100,
  // Enough rounds that the connections opened at the start of the flood affect fewer than one in a hundred
  // measurements.
  roundCount: isThorough ? 120 : 3,
}

export const timeoutMs = 30_000
