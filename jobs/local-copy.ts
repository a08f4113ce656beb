import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { StoragePort } from '#native-routes/ports.ts'

const addressLifetimeS = 3600

/** Where a worker keeps copies; named after its process, so that what a killed one left can be told from the rest. */
export const copiesFolderPrefix = join(tmpdir(), 'crossfade-job-')

const download = async (url: string, path: string, signal: AbortSignal) => {
  const response = await fetch(url, { signal, redirect: 'error' })
  if (!response.ok || !response.body) throw new Error(`a download was answered with ${response.status}`)
  await pipeline(response.body, createWriteStream(path), { signal })
}

/** Lends `work` what lies at an address as a file on this machine's disk; it goes with the work. */
export const withDownload = async <T>(
  url: string,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(`${copiesFolderPrefix}${process.pid}-`)
  try {
    const path = join(folder, 'object')
    await download(url, path, signal)
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The same for an object of the store, for parsers that jump to and fro in it. */
export const withLocalCopy = async <T>(
  storageKey: string,
  storage: StoragePort,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T> => {
  const { url } = await storage.presignGet(storageKey, { expiresInS: addressLifetimeS })
  return withDownload(url, signal, work)
}
