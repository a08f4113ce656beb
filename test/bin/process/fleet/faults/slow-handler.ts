import { setTimeout as sleep } from 'node:timers/promises'
import { replaceHandler } from './replace-handler.ts'

const slowShare = 0.3
const delayMs = 400

replaceHandler((handle) => async (input, ports) => {
  if (Math.random() < slowShare) await sleep(delayMs)
  return handle(input, ports)
})
