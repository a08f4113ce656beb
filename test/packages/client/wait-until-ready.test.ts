import { describe, expect, it } from 'vitest'
import { waitUntilReady } from '#client/wait-until-ready.ts'
import { hang, respond, startScriptedServer } from './scripted-server.ts'

const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

interface Status {
  /** The statuses of lanes that are not ready. */
  readonly readiness?: Readonly<Record<string, string>>
  readonly stages?: readonly object[]
}

const status = ({ readiness = {}, stages = [] }: Status) =>
  respond(200, {
    trackId: 'trk_1',
    stages,
    readiness: Object.fromEntries(lanes.map((lane) => [lane, { status: readiness[lane] ?? 'ready' }])),
  })

describe('waitUntilReady', () => {
  const server = startScriptedServer()

  it('ends when playback and waveform are ready or skipped', async () => {
    server.script(
      status({ readiness: { playback: 'pending', waveform: 'pending' } }),
      status({ readiness: { waveform: 'processing' } }),
      status({ readiness: { waveform: 'skipped', stems: 'processing' } }),
    )
    const seen: string[] = []
    const ready = await waitUntilReady(server.createClient(), 'trk_1', {
      onStatus: ({ readiness }) => seen.push(readiness.waveform.status),
    })
    expect(seen).toEqual(['pending', 'processing', 'skipped'])
    expect(ready.readiness.playback.status).toBe('ready')
  })

  it('waits for the given lanes', async () => {
    server.script(status({ readiness: { stems: 'processing' } }), status({}))
    await waitUntilReady(server.createClient(), 'trk_1', { lanes: ['stems'] })
    expect(server.requests().length).toBe(2)
  })

  it("waits for a track's new version even if its current version is ready", async () => {
    const stage = (state: string) => status({ stages: [{ lane: 'waveform', status: state, error: null }] })
    server.script(stage('queued'), stage('running'), stage('succeeded'))
    await waitUntilReady(server.createClient(), 'trk_1')
    expect(server.requests().length).toBe(3)
  })

  it('fails with the reason if a lane fails', async () => {
    const stages = [
      { lane: 'playback', status: 'failed', error: { code: 'x', message: 'It is no audio file.' } },
    ]
    server.script(status({ readiness: { playback: 'failed' }, stages }))
    await expect(waitUntilReady(server.createClient(), 'trk_1')).rejects.toMatchObject({
      code: 'processing_failed',
      message: 'processing: playback failed (It is no audio file.)',
    })
  })

  it('fails when the track is not ready in time', async () => {
    server.script(status({ readiness: { playback: 'processing' } }))
    await expect(waitUntilReady(server.createClient(), 'trk_1', { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'processing_timed_out',
    })
  })

  it('fails in time even if the service does not respond', async () => {
    server.script(status({ readiness: { playback: 'processing' } }), hang)
    const client = server.createClient({ timeoutMs: 4000, retries: 0 })
    await expect(waitUntilReady(client, 'trk_1', { timeoutMs: 1200 })).rejects.toMatchObject({
      code: 'processing_timed_out',
      body: { readiness: { playback: { status: 'processing' } } },
    })
  })

  it('reads the status once even if it may not wait', async () => {
    server.script(respond(503, 'core_unavailable', { 'retry-after': '1' }), status({}))
    await waitUntilReady(server.createClient(), 'trk_1', { timeoutMs: 0 })
    server.script(status({}))
    await waitUntilReady(server.createClient(), 'trk_1', { timeoutMs: Number.POSITIVE_INFINITY })
  })

  it("fails with its signal's reason if aborted", async () => {
    const controller = new AbortController()
    server.script(status({ readiness: { playback: 'processing' } }))
    const waiting = waitUntilReady(server.createClient(), 'trk_1', {
      signal: controller.signal,
      onStatus: () => controller.abort(new Error('closed')),
    })
    await expect(waiting).rejects.toThrow('closed')
  })
})
