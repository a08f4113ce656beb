import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Analyser, startAnalyser } from '#sandbox/media-intelligence/start-analyser.ts'
import { analysisSecret as secret, sign } from '#test/support/analysis-service.ts'
import { type Bytes, wav } from '#test/support/media/sound.ts'

const notes = [261.63, 329.63, 392]
const chord = (seconds: number) =>
  notes.reduce((sum, hertz) => sum + 0.2 * Math.sin(2 * Math.PI * hertz * seconds), 0)
const click = (seconds: number) => (seconds % 0.5 < 0.02 ? 0.4 * Math.sin(9000 * seconds) : 0)

describe('the sandbox analyser', () => {
  let analyser: Analyser
  let audio: Bytes
  const callbacks: { signature: string; text: string }[] = []
  const peer = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(audio)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const signature = String(request.headers['media-intelligence-signature'])
    callbacks.push({ signature, text: Buffer.concat(parts).toString() })
    response.end()
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
    analyser = await startAnalyser({ secret })
  })
  afterAll(async () => {
    await analyser.close()
    peer.closeAllConnections()
    peer.close()
  })

  const ask = (dispatchId: string, signWith = secret) => {
    const { port } = peer.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/`
    const body = JSON.stringify({ dispatchId, audioUrl: url, contentType: 'audio/wav', callbackUrl: url })
    const headers = { 'media-intelligence-signature': sign(body, { secret: signWith }) }
    return fetch(analyser.url, { method: 'POST', headers, body })
  }
  const resultOf = async (dispatchId: string) => {
    const found = () => callbacks.find(({ text }) => text.includes(dispatchId))
    await expect.poll(found, { timeout: 15_000 }).toBeDefined()
    const { text, signature } = found()!
    expect(signature).toBe(sign(text, { at: Number(/t=(\d+)/.exec(signature)?.[1]) * 1000 }))
    return JSON.parse(text)
  }

  it('hears the tempo and the key, and claims nothing else', async () => {
    audio = wav({ seconds: 20, sampleRate: 44_100, sampleAt: (at) => chord(at) + click(at) })
    expect((await ask('sounding')).status).toBe(202)
    expect(await resultOf('sounding')).toEqual({
      callbackId: expect.any(String),
      dispatchId: 'sounding',
      status: 'succeeded',
      results: {
        tags: [
          { category: 'bpm', value: '120', numericValue: 120, confidence: null },
          { category: 'key', value: 'C major', numericValue: null, confidence: expect.any(Number) },
        ],
      },
    })
  })

  it('hears nothing in silence', async () => {
    audio = wav({ seconds: 2, sampleRate: 44_100, sampleAt: () => 0 })
    await ask('silent')
    expect((await resultOf('silent')).results).toEqual({ tags: [] })
  })

  it('says that it cannot decode what is no audio', async () => {
    audio = new TextEncoder().encode('nothing to hear')
    await ask('broken')
    expect(await resultOf('broken')).toMatchObject({ status: 'failed', error: { code: 'not_heard' } })
  })

  it('works for nobody without the secret', async () => {
    expect((await ask('forged', 'another secret altogether')).status).toBe(401)
    expect((await fetch(analyser.url, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(callbacks.some(({ text }) => text.includes('forged'))).toBe(false)
  })
})
