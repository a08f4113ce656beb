import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Analyser, startAnalyser } from '#dev/sandbox/media-intelligence/start-analyser.ts'
import { analysisSecret as secret, signAnalysisCallback } from '#test/support/analysis-service.ts'
import { type Bytes, wav } from '#test/support/media/audio-files.ts'

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

  const requestAnalysis = (dispatchId: string, signWith = secret) => {
    const { port } = peer.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/`
    const body = JSON.stringify({ dispatchId, audioUrl: url, contentType: 'audio/wav', callbackUrl: url })
    const headers = { 'media-intelligence-signature': signAnalysisCallback(body, { secret: signWith }) }
    return fetch(analyser.url, { method: 'POST', headers, body })
  }
  const waitForResult = async (dispatchId: string) => {
    const findCallback = () => callbacks.find(({ text }) => text.includes(dispatchId))
    await expect.poll(findCallback, { timeout: 15_000 }).toBeDefined()
    const { text, signature } = findCallback()!
    expect(signature).toBe(signAnalysisCallback(text, { at: Number(/t=(\d+)/.exec(signature)?.[1]) * 1000 }))
    return JSON.parse(text)
  }

  it('returns the tempo and the key, and no other results', async () => {
    audio = wav({ seconds: 20, sampleRate: 44_100, sampleAt: (second) => chord(second) + click(second) })
    expect((await requestAnalysis('sounding')).status).toBe(202)
    expect(await waitForResult('sounding')).toEqual({
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

  it('returns no tags for silence', async () => {
    audio = wav({ seconds: 2, sampleRate: 44_100, sampleAt: () => 0 })
    await requestAnalysis('silent')
    expect((await waitForResult('silent')).results).toEqual({ tags: [] })
  })

  it('reports a failure for bytes that are not audio', async () => {
    audio = new TextEncoder().encode('nothing to hear')
    await requestAnalysis('broken')
    expect(await waitForResult('broken')).toMatchObject({ status: 'failed', error: { code: 'not_heard' } })
  })

  it('returns 401 and analyses nothing if the request has no valid signature', async () => {
    expect((await requestAnalysis('forged', 'another secret altogether')).status).toBe(401)
    expect((await fetch(analyser.url, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(callbacks.some(({ text }) => text.includes('forged'))).toBe(false)
  })
})
