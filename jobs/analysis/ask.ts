import { fork } from 'node:child_process'
import type { AudioAnalysis } from './analyse-audio.ts'
import type { AssetInspection } from './inspect-asset.ts'
import type { MediaFamily } from './media-family.ts'

/** What a child is asked of one file. */
export interface Question {
  readonly task: 'audio' | 'asset' | 'family'
  readonly path: string
  readonly contentType: string
}

/** The process that looked at a file ended without an answer, or took too long. */
class NoAnswer extends Error {
  override name = 'NoAnswer'
}

const deadlineMs = 20 * 60_000

const ask = (question: Question, signal: AbortSignal) =>
  new Promise<unknown>((resolve, reject) => {
    const child = fork(new URL('./child.ts', import.meta.url), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // It is given the path of a file and needs nothing else, least of all the secrets of this process.
      env: {},
      execArgv: ['--max-old-space-size=192'],
    })
    const end = () => child.kill('SIGKILL')
    const deadline = setTimeout(end, deadlineMs)
    signal.addEventListener('abort', end)
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code, reason) => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', end)
      reject(new NoAnswer(`the analysis ended with ${reason ?? code}`))
    })
    child.send(question)
  })

// What a child of ours answers is what its own function returned.
const asAnswer = <T>(answer: Promise<unknown>) => answer as Promise<T>

export const askAboutAudio = (path: string, contentType: string, signal: AbortSignal) =>
  asAnswer<AudioAnalysis>(ask({ task: 'audio', path, contentType }, signal))

export const askAboutAsset = (path: string, contentType: string, signal: AbortSignal) =>
  asAnswer<AssetInspection>(ask({ task: 'asset', path, contentType }, signal))

/** The family of an audio file; null for anything else. */
export const askAboutFamily = (path: string, signal: AbortSignal) =>
  asAnswer<MediaFamily | null>(ask({ task: 'family', path, contentType: '' }, signal))
