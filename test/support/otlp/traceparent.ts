import { randomBytes } from 'node:crypto'

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex')

export const createTraceparent = (flags = '01') => {
  const [traceId, parentId] = [randomHex(16), randomHex(8)]
  return { traceId, parentId, traceparent: `00-${traceId}-${parentId}-${flags}` }
}
