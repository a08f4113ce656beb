declare module 'music-tempo' {
  class MusicTempo {
    constructor(samples: Float32Array, options: { hopSize: number; timeStep: number })
    readonly tempo: string | number
  }
  export = MusicTempo
}

declare module 'fft.js' {
  class FFT {
    constructor(size: number)
    createComplexArray(): number[]
    realTransform(out: number[], samples: ArrayLike<number>): void
  }
  export = FFT
}
