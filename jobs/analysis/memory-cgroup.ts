import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface MemoryCgroup {
  readonly path: string
  add(pid: number): void
  hasKilled(): boolean
  /** Its processes must have exited. */
  remove(): Promise<void>
}

interface Hierarchy {
  readonly parent: string
  readonly limits: readonly (readonly [file: string, value: (bytes: number) => string])[]
  readonly events: string
}

const root = '/sys/fs/cgroup'
const prefix = 'crossfade-analysis-'
let created = 0

/** Finds the parent for new groups of this process (proc_pid_cgroup(5)). */
const findHierarchy = (): Hierarchy | null => {
  const entries = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  for (const entry of entries) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(entry) ?? []
    if (controllers.split(',').includes('memory'))
      return {
        parent: join(root, 'memory', path),
        limits: [['memory.limit_in_bytes', String]],
        events: 'memory.oom_control',
      }
    // In version 2, a group with processes cannot have children with a memory limit, so the new group becomes a sibling
    // of ours. If ours is a systemd unit, its siblings are other services, so no group is created there.
    if (controllers === '' && path !== '/' && !/\.(?:service|scope|slice)$/.test(path))
      return {
        parent: join(root, dirname(path)),
        limits: [
          ['memory.max', String],
          ['memory.swap.max', () => '0'],
        ],
        events: 'memory.events',
      }
  }
  return null
}

const removeFolder = async (folder: string) => {
  // The kernel releases a group shortly after its last process exits.
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return rmdirSync(folder)
    } catch {
      await sleep(25)
    }
  }
}

const setLimits = (folder: string, { limits }: Hierarchy, bytes: number) => {
  for (const [file, value] of limits) writeFileSync(join(folder, file), value(bytes), { flag: 'r+' })
}

export const createMemoryCgroup = (limitBytes: number): MemoryCgroup | null => {
  if (process.platform !== 'linux') return null
  let folder: string | null = null
  try {
    const hierarchy = findHierarchy()
    if (!hierarchy) return null
    created += 1
    const path = join(hierarchy.parent, `${prefix}${process.pid}-${created}`)
    mkdirSync(path)
    folder = path
    setLimits(path, hierarchy, limitBytes)
    return {
      path,
      add: (pid) => writeFileSync(join(path, 'cgroup.procs'), String(pid), { flag: 'r+' }),
      hasKilled: () => /^oom_kill [1-9]/m.test(readFileSync(join(path, hierarchy.events), 'utf8')),
      remove: () => removeFolder(path),
    }
  } catch {
    if (folder) rmdirSync(folder)
    return null
  }
}

const isProcessAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const isAbandoned = (name: string) => {
  const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
  return pid > 0 && !isProcessAlive(pid)
}

export const removeAbandonedCgroups = async () => {
  if (process.platform !== 'linux') return
  try {
    const { parent } = findHierarchy() ?? {}
    if (!parent) return
    for (const name of readdirSync(parent)) if (isAbandoned(name)) rmdirSync(join(parent, name))
  } catch {
    // A group that cannot be listed or removed belongs to another user.
  }
}
