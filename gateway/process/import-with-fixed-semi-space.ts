// Optimized: see "20 readers that take 64 KiB each 40 ms" in bench/README.md.
import { setFlagsFromString } from 'node:v8'

/**
 * Loads modules without letting V8's young generation grow: what loading leaves behind would grow it to a size that
 * serving never needs and that is not given back, forty megabytes and more of resident memory.
 */
export const importWithFixedSemiSpace = async <M>(load: () => Promise<M>): Promise<M> => {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}
