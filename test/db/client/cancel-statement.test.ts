import { expect, it } from 'vitest'
import { cancelAfterTimeout } from '#db/client/cancel-statement.ts'

/** A query as the driver has it, whose cancel request `request` sends. */
const sendQuery = (request: () => Promise<unknown>) => {
  const isRequested = Promise.withResolvers<void>()
  const result = Promise.withResolvers<string>()
  const query = Object.assign(result.promise, {
    active: true,
    canceller: () => {
      isRequested.resolve()
      return request()
    },
  })
  return { query, end: result.resolve, isRequested: isRequested.promise }
}

it('the result of a cancelled statement waits for its cancel request, which could cancel the next statement', async () => {
  const request = Promise.withResolvers<void>()
  const { query, end, isRequested } = sendQuery(() => request.promise)
  const session = { isConnected: true }
  const events: string[] = []
  const result = cancelAfterTimeout(session, 1, query, query).then((value) => events.push(value))
  await isRequested
  end('the result')
  await query
  setImmediate(() => {
    events.push('the request ended')
    request.resolve()
  })
  await result
  expect(events).toEqual(['the request ended', 'the result'])
  expect(session.isConnected).toBe(true)
})

it('a session whose cancel request does not end is not used again', async () => {
  const { query, end, isRequested } = sendQuery(() => new Promise(() => undefined))
  const session = { isConnected: true }
  const result = cancelAfterTimeout(session, 1, query, query)
  await isRequested
  end('the result')
  expect(await result).toBe('the result')
  expect(session.isConnected).toBe(false)
})

it('a cancel request that fails does not change the result', async () => {
  const { query, end, isRequested } = sendQuery(async () => {
    throw new Error('connection refused')
  })
  const result = cancelAfterTimeout({ isConnected: true }, 1, query, query)
  await isRequested
  end('the result')
  expect(await result).toBe('the result')
})
