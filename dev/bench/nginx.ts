import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '#dev/postgres/server.ts'
import { measuredCpu } from './machine.ts'
import { startProcess } from './start-process.ts'

const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

// nginx's defaults, except for two changes: persistent connections to the core, as the other peers have, and room for
// 2,000 clients.
const configuration = (folder: string, port: number, upstream: string) => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
  access_log ${folder}/access.log;
${temporaryFolders.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  upstream core { server ${new URL(upstream).host}; keepalive 256; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://core;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

export const startNginx = async (folder: string, upstream: string) => {
  // If started as root, nginx forwards in an unprivileged worker, which needs access to its temporary files.
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(folder, port, upstream))
  const args = ['-e', join(folder, 'error.log'), '-c', file]
  return startProcess({ command: 'nginx', arguments: args, cpu: measuredCpu }, async () => {
    while (!(await accepts(port))) await sleep(20)
    return `http://127.0.0.1:${port}`
  })
}
