import { readdir, readFile, readlink } from 'node:fs/promises'

const established = '01'

/** The inodes of the established connections to a port of this machine, on the side of the server. */
const listInodes = async (port: number) => {
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return new Set(
    rows.flatMap((row) => {
      const [, address = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/)
      return address.endsWith(local) && state === established ? [inode] : []
    }),
  )
}

const listSockets = async (pid: number) => {
  const folder = `/proc/${pid}/fd`
  const links = await Promise.all(
    (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')),
  )
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

/** How many connections of clients to a port each process has. */
export const countConnections = async (port: number, pids: readonly number[]): Promise<number[]> => {
  const inodes = await listInodes(port)
  return Promise.all(
    pids.map(async (pid) => (await listSockets(pid)).filter((each) => inodes.has(each)).length),
  )
}
