import { disablePretenuring } from '#gateway/process/disable-pretenuring.ts'

// Prints how many of the last 10,000 objects V8 has created in its young generation, after many that have survived minor
// collections. Needs `--allow-natives-syntax`.
const [, , mode] = process.argv
if (mode === 'disabled') disablePretenuring()
const isYoung = new Function('object', 'return %InYoungGeneration(object)')
const createObject = (index: number) => ({ index, next: null })
const total = 3_000_000
const waiting: object[] = []
let youngCount = 0
for (let index = 0; index < total; index += 1) {
  const object = createObject(index)
  if (index >= total - 10_000 && isYoung(object)) youngCount += 1
  waiting.push(object)
  if (waiting.length > 400_000) waiting.splice(0, 200_000)
}
process.stdout.write(`${youngCount}\n`)
