import AshlarCustomization
import AshlarTestSupport
import Foundation

/// An Info.plist with FTCustomization's entry.
func infoPlist(brand: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>CFBundleIdentifier</key>
        <string>com.example.app</string>
        <key>FTCustomizationString</key>
        <string>\(brand)</string>
    </dict>
    </plist>
    """
}
