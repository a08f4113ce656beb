import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { StoragePort } from '#native-routes/ports.ts'

const addressLifetimeS = 3600

/** Where a worker keeps copies; named after its process, so that what a killed one left can be told from the rest. */
export const copiesFolderPrefix = join(tmpdir(), 'crossfade-job-')

// Trusts the address: only those that this deployment's own store has signed are downloaded here.
const downloadObject = async (url: string, path: string, signal: AbortSignal) => {
  const response = await fetch(url, { signal, redirect: 'error' })
  if (!response.ok || !response.body) throw new Error(`a download was answered with ${response.status}`)
  await pipeline(response.body, createWriteStream(path), { signal })
}

/** Lends `work` the path of a file to create, which is removed when the work ends. */
export const withTemporaryFile = async <T>(work: (path: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(`${copiesFolderPrefix}${process.pid}-`)
  try {
    return await work(join(folder, 'object'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Lends `work` an object of the store as a file, for parsers that jump to and fro in it. */
export const withLocalCopy = async <T>(
  storageKey: string,
  storage: StoragePort,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T> => {
  const { url } = await storage.presignGet(storageKey, { expiresInS: addressLifetimeS })
  return withTemporaryFile(async (path) => {
    await downloadObject(url, path, signal)
    return work(path)
  })
}
