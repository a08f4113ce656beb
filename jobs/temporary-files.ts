import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'

const folder = tmpdir()
// Not `crossfade-job-`: workers of earlier versions would read the id that follows as a process id.
const prefix = 'crossfade-jobs-'

// Short, because a socket's path has at most 103 characters.
const ownId = randomBytes(8).toString('hex')

const socketOf = (id: string) => {
  const path = join(folder, `${prefix}${id}.sock`)
  return platform === 'win32' ? `\\\\.\\pipe\\${path}` : path
}

let announced: Promise<string> | undefined

// While this process runs, it listens on a socket next to its folders, so that other workers keep them. Its process id
// would not do: workers in several containers have the same ids, and may share a folder for temporary files. If it
// cannot listen, for example because the path is too long, its folders get names that no worker removes.
const announce = () => {
  announced ??= new Promise((resolve) => {
    const path = socketOf(ownId)
    const server = createServer((socket) => socket.destroy()).unref()
    server.on('error', () => resolve(`${prefix}kept-`))
    server.listen(path, () => resolve(`${prefix}${ownId}-`))
    process.once('exit', () => rmSync(path, { force: true }))
  })
  return announced
}

// Any other error, for example for lack of permission, may come from a running process.
const exitedCodes: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT'])

const isRunning = (id: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(socketOf(id))
    const end = (hasExited: boolean) => {
      socket.destroy()
      resolve(!hasExited)
    }
    socket.once('connect', () => end(false))
    socket.once('error', (error: NodeJS.ErrnoException) => end(exitedCodes.has(error.code)))
  })

export const withTemporaryFile = async <T>(work: (path: string) => Promise<T>): Promise<T> => {
  const ownFolder = await mkdtemp(join(folder, await announce()))
  try {
    return await work(join(ownFolder, 'object'))
  } finally {
    await rm(ownFolder, { recursive: true, force: true })
  }
}

const ownerOf = new RegExp(`^${prefix}([0-9a-f]{16})[-.]`)

/** Removes what killed workers have left. */
export const removeAbandonedFiles = async () => {
  await announce()
  const byOwner = Map.groupBy(await readdir(folder), (name) => ownerOf.exec(name)?.[1])
  for (const [id, names] of byOwner) {
    if (id === undefined || id === ownId || (await isRunning(id))) continue
    // What cannot be removed belongs to a different user.
    for (const name of names)
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}
