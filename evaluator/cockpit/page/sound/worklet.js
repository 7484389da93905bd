// Hands the samples of a microphone to the page, 20 ms at a time.
class Blocks extends AudioWorkletProcessor {
  #block = new Int16Array(Math.round(sampleRate / 50));
  #filled = 0;

  process([[samples]]) {
    for (const sample of samples || []) {
      this.#block[this.#filled] = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)));
      this.#filled += 1;
      if (this.#filled === this.#block.length) {
        this.port.postMessage(this.#block.slice());
        this.#filled = 0;
      }
    }
    return true;
  }
}

registerProcessor("blocks", Blocks);
