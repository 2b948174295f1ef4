import AshlarCore
import Testing

@Suite struct DigestHashTests {
    // From `md5sum` and Python's hashlib.
    @Test(
        "Texts around the size of a block have the hashes of MD5 and SHA-512/256",
        arguments: [
            (0, "d41d8cd98f00b204e9800998ecf8427e", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            (1, "0cc175b9c0f1b6a831c399e269772661", "455e518824bc0601f9fb858ff5c37d417d67c2f8e0df2babe4808858aea830f8"),
            (
                54, "eced9e0b81ef2bba605cbc5e2e76a1d0",
                "97be1c6d6a73e91413dc7dea0f7e315c725e7cd5b8131c35d3e1ab1ae385cecd"
            ),
            (
                55, "ef1772b6dff9a122358552954ad0df65",
                "f6513468f05e7cec7d52fc337ef79dfa7c82520268d3aeba4002ead9a5642916"
            ),
            (
                56, "3b0c8ac703f828b04c6c197006d17218",
                "baa8bd7fb02a11878c6a1d5400f06ec5d96cd6f566da032f8dcbb602beea4ca5"
            ),
            (
                57, "652b906d60af96844ebd21b674f35e93",
                "d22901f2b248f0cdfa686760a65693ff7850c9bfeabd44c0af22a7f02c2e18dc"
            ),
            (
                63, "b06521f39153d618550606be297466d5",
                "3c4458337119e69459650d3851234acd0300b39640803807b139ffc1da44c8ba"
            ),
            (
                64, "014842d480b571495a4a0363793f7367",
                "2c3fa8f196f2aac65f15166666ecc77bd9fe195bae83ef06bb75c7857c163db9"
            ),
            (
                65, "c743a45e0d2e6a95cb859adae0248435",
                "bf4196e5f652f84a5a6655400236cf0167399c36c4e268f6d472ab5eef405c24"
            ),
            (
                111, "089f243d1e831c5879aa375ee364a06e",
                "0239e429f98d0ed61ee8e2a7c30afe98c1c3a80ce5dff62a107e9c538f7632ce"
            ),
            (
                112, "9146ef3527c7cfcc66dc615c3986e391",
                "9216b5303edb66504570bee90e48ea5beaa5e9fe9f760bbd3e0460559fc005f6"
            ),
            (
                113, "d727cfdfc9ed0347e6917a68b982f7bc",
                "d0ac79bea5bc97ac80c77c7cbbe92811ba9997eb0ce3c9888f9cef8362d187cd"
            ),
            (
                119, "8a7bd0732ed6a28ce75f6dabc90e1613",
                "6cb452f832033489de69b49d6a8e8a1e0018092f1986c132287f4ca4ab3ee545"
            ),
            (
                120, "5f61c0ccad4cac44c75ff505e1f1e537",
                "2e6ca4d879d367d7708701ed2e448540d04a6b8fcd2b0806278cf36090b9ba2b"
            ),
            (
                127, "020406e1d05cdc2aa287641f7ae2cc39",
                "2fe3b2a6ee7e12f6fe4ba82166541ad9b4ed882c493581cbe300d68f3757b778"
            ),
            (
                128, "e510683b3f5ffe4093d021808bc6ff70",
                "b88f97e274f9c1d49f181c8cbd01a9c74930ad055a46ac4499a1d601f1c80bf2"
            ),
            (
                129, "b325dc1c6f5e7a2b7cf465b9feab7948",
                "fb9035c9009ed4a60e37510339ebdb1c771339f30aa581d5dea3690a524c23f1"
            ),
            (
                1000, "cabe45dcc9ae5b66ba86600cca6b8ba8",
                "40eb4a70d4d69815407a9e272f0101cd67e3d11262a4a0bfc087712749c7fb53"
            ),
        ])
    func vectors(count: Int, md5: String, sha: String) {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        #expect(hexadecimal(MD5.hash(bytes)) == md5)
        #expect(hexadecimal(SHA512_256.hash(bytes)) == sha)
    }

    @Test("The text abc has the hashes of RFC 1321 and FIPS 180-4")
    func published() {
        let text = Array("abc".utf8)
        #expect(hexadecimal(MD5.hash(text)) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(
            hexadecimal(SHA512_256.hash(text))
                == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
