/// The map in SquidKit's documentation, with one more configuration.
package let exampleMapText = #"""
    {
        "configurations": [
           {
           "canonical_host": "httpbin.org",
           "canonical_protocol": "http",
           "prerelease_key": "DEV",
           "release_key": "PROD",
           "hosts":  [
                         {"key": "PROD", "host": "httpbin.org"},
                         {"key": "QA", "host": "qa.httpbin.org", "protocol": "https"},
                         {"key": "DEV", "host": "dev.httpbin.org"},
                         {"key": "localhost", "host": "localhost", "port": 8080},
                         {"key": "USER"}
                     ]
           },
           {
           "canonical_host": "USDA",
           "canonical_protocol": "https",
           "release_key": "PROD",
           "hosts":  [
                         {"key": "PROD", "host": "api.usda.example"},
                         {"key": "BOX", "host": "box-<#>.usda.example:8443"},
                         {"key": "TEAM", "host": "<@>.usda.example"}
                     ]
           }
        ]
    }
    """#
