import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { get, openRawClient } from '#test/support/raw-client.ts'
import { expectSame, expectSameResponse, pollOptions, startComparison } from './compare-core-and-gateway.ts'
import { reply, type Script, startResponse } from './scripted-core.ts'
import {
  digestBody,
  generated,
  openRequest,
  readPattern,
  receiveResponse,
  sendPattern,
} from './transparency-bodies.ts'

const comparison = startComparison()

const megabyte = 1024 * 1024
const downloadBytes = 1024 * megabyte
const uploadBytes = 512 * megabyte
// Well below what is sent, so that a gateway that buffers a body fails.
const largestGrowth = 150 * megabyte

const sender = (bytes: number) => {
  const hash = createHash('sha256')
  const script: Script = (outgoing) => {
    startResponse(outgoing, 200, 'Content-Length', String(bytes))
    // The pipeline rejects when the client disconnects.
    pipeline(generated(bytes, hash), outgoing).catch(() => {})
  }
  return { script, sum: () => ({ bytes, digest: hash.copy().digest('hex') }) }
}

const patternSender =
  (bytes: number): Script =>
  (outgoing) => {
    startResponse(outgoing, 200, 'Content-Length', String(bytes))
    // `sendPattern` rejects when the client disconnects.
    sendPattern(outgoing, bytes).catch(() => {})
  }

const respondWhenComplete: Script = (outgoing, incoming) => {
  incoming.on('end', () => reply(200, [], 'ok')(outgoing, incoming))
}

const readMemory = async (field: 'VmRSS' | 'VmHWM') => {
  const status = await readFile(`/proc/${comparison.gatewayPid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
}

const expectFlatMemory = async (transfer: () => Promise<void>) => {
  const idle = await readMemory('VmRSS')
  // Resets the peak to the current use.
  await writeFile(`/proc/${comparison.gatewayPid}/clear_refs`, '5')
  await transfer()
  const peak = await readMemory('VmHWM')
  expect(peak - idle).toBeLessThan(largestGrowth)
}

describe("the gateway's memory", { timeout: 120_000 }, () => {
  it('grows by less than 150 MiB while 1 GiB is sent to a client unchanged', async () => {
    const target = comparison.core.addScript(patternSender(downloadBytes))
    await expectFlatMemory(async () => {
      expect(await readPattern({ port: comparison.gatewayPort, target })).toBe(downloadBytes)
    })
  })

  it('grows by less than 150 MiB while eight clients read different responses at different rates', async () => {
    const bytes = 64 * megabyte
    await expectFlatMemory(async () => {
      const reading = Array.from({ length: 8 }, (_, pauseMs) => {
        const target = comparison.core.addScript(patternSender(bytes + pauseMs))
        return readPattern({ port: comparison.gatewayPort, target, pauseMs })
      })
      expect(await Promise.all(reading)).toEqual(Array.from({ length: 8 }, (_, more) => bytes + more))
    })
  })

  it('grows by less than 150 MiB while 512 MiB are sent to the core unchanged', async () => {
    const hash = createHash('sha256')
    const target = comparison.core.addScript(respondWhenComplete)
    await expectFlatMemory(async () => {
      const sent = openRequest(comparison.gatewayPort, 'POST', target, uploadBytes)
      const response = receiveResponse(sent)
      await pipeline(generated(uploadBytes, hash), sent)
      expect((await digestBody(await response)).bytes).toBe(2)
    })
    const [request] = comparison.core.requestsAt(target)
    expect([request?.bytes, request?.digest()]).toEqual([uploadBytes, hash.digest('hex')])
  })
})

describe('a slow client', () => {
  // Several times what the system's buffers for two connections can hold.
  const bytes = 256 * megabyte

  it.each(['corePort', 'gatewayPort'] as const)(
    'pauses the core, and receives the complete body once it reads again: %s',
    // Both ends hash every byte. On a busy machine, this takes a long time even without the gateway.
    { timeout: 60_000 },
    async (port) => {
      const { script, sum } = sender(bytes)
      let written = () => 0
      const target = comparison.core.addScript((outgoing, incoming) => {
        const { socket } = outgoing
        const before = socket?.bytesWritten ?? 0
        written = () => (socket?.bytesWritten ?? 0) - before
        script(outgoing, incoming)
      })
      const response = await receiveResponse(openRequest(comparison[port], 'GET', target).end())
      response.pause()
      await sleep(300)
      expect(written()).toBeGreaterThan(0)
      expect(written()).toBeLessThan(bytes / 2)
      expect(await digestBody(response)).toEqual(sum())
    },
  )

  it('receives the same response even if it sends its request byte by byte', async () => {
    const target = comparison.core.addScript(reply(200, ['ETag', '"a"'], 'ok'))
    const send = async (port: number) => {
      const client = await openRawClient(port)
      client.socket.setNoDelay(true)
      for (const byte of get(target, 'Accept: */*')) {
        client.send(byte)
        await new Promise((resolve) => setImmediate(resolve))
      }
      const response = await client.receiveResponse()
      client.socket.destroy()
      return response
    }
    expectSame(await send(comparison.corePort), await send(comparison.gatewayPort))
  })
})

describe('a slow core', () => {
  it.each([
    ['in chunks', []],
    ['of a known length', ['Content-Length', '16']],
  ])('has each part of a body %s forwarded as it arrives', async (_, headers) => {
    const cores: ServerResponse[] = []
    const target = comparison.core.addScript((outgoing) => {
      startResponse(outgoing, 200, ...headers)
      cores.push(outgoing)
    })
    const send = async (port: number) => {
      const client = await openRawClient(port)
      client.send(get(target))
      await expect.poll(client.text, pollOptions).toContain('\r\n\r\n')
      for (const word of ['one-', 'two-', 'tri-']) {
        cores.at(-1)?.write(word)
        await expect.poll(client.text, pollOptions).toContain(word)
      }
      cores.at(-1)?.end('four')
      const response = await client.receiveResponse()
      client.socket.destroy()
      return response
    }
    const [direct, through] = [await send(comparison.corePort), await send(comparison.gatewayPort)]
    expect(direct).toMatchObject({ body: 'one-two-tri-four', complete: true })
    expectSame(direct, through)
  })

  it('has its response forwarded unchanged even if it delays the head and sends the body byte by byte', async () => {
    const target = comparison.core.addScript(async (outgoing) => {
      await sleep(150)
      startResponse(outgoing, 200)
      for (const letter of 'byte by byte') {
        outgoing.write(letter)
        await sleep(5)
      }
      outgoing.end()
    })
    expect((await expectSameResponse(comparison, get(target))).body).toBe('byte by byte')
  })
})
